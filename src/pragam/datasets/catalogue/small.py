"""Small data sets: LIBSVM's, UCI's, and those of regression.

The checksums are of files repacked by xz. An address leads to the file as LIBSVM publishes it, whose checksum nobody
has verified.
"""

from __future__ import annotations

from pragam.datasets.catalogue.published import LIBSVM
from pragam.datasets.record import Dataset, File, Piece


def _piece(path: str, size: int, sha256: str, address: str = "") -> Piece:
    ours = File(path, size, sha256)
    return (ours, File(path.removesuffix(".xz"), url=LIBSVM + address)) if address else (ours,)


_A1A_TEST = _piece(
    "libsvm-small/a1a.t.xz", 145_876, "5eb35c8fd3d013a454b0736e548281bd2a766b8cea727f03bc41e2a9d7d224e6", "binary/a1a.t"
)
_AGARICUS_TEST = _piece(
    "libsvm-small/agaricus.test.xz", 7_800, "ea2a677f4866e421693e29114bb93a0a6a59468a59d9d74d069301d2db7577ca"
)
_EXAMPLE1_TEST = _piece(
    "libsvm-small/svmlight_example1.test.xz",
    210_064,
    "f96c83a02a2bb9099c2219d98ab6c1d9b34f90d0d5fe1a3013cfed965f2d969a",
)
_REGRESSION = "Regression: the labels are real numbers."

SETS = (
    Dataset(
        name="a1a", title="census income, the smallest of nine training sets",
        n=1_605, d=119, nnz=22_249,
        train=(_piece(
            "libsvm-small/a1a.xz", 8_916,
            "17be163f181659de7a1f0fd62cae1c276c48db3347ae8ae6ed772c776c7ed512", "binary/a1a",
        ),), test=(_A1A_TEST,),
        source="LIBSVM data page, a1a", licence="none stated (UCI)",
    ),
    Dataset(
        name="a1a.t", title="census income, the test rows of a1a",
        n=30_956, d=123, nnz=429_343,
        train=(_A1A_TEST,),
        source="LIBSVM data page, a1a.t", licence="none stated (UCI)",
    ),
    Dataset(
        name="agaricus.train", title="mushrooms, edible or not, training rows",
        n=6_513, d=126, nnz=143_286,
        train=(_piece(
            "libsvm-small/agaricus.train.xz", 27_424,
            "38e9771404cbaf2d687a467bb7fabfb45e705945fc3411ce4ebeb53c851bdb3e",
        ),), test=(_AGARICUS_TEST,),
        source="XGBoost's demo, from UCI Mushroom", licence="Apache-2.0",
    ),
    Dataset(
        name="agaricus.test", title="mushrooms, edible or not, test rows",
        n=1_611, d=126, nnz=35_442,
        train=(_AGARICUS_TEST,),
        source="XGBoost's demo, from UCI Mushroom", licence="Apache-2.0",
    ),
    Dataset(
        name="australian", title="credit approval",
        n=690, d=14, nnz=9_660,
        train=(_piece(
            "libsvm-small/australian.xz", 9_524,
            "d97ce127b5bb70b1c7ada92aa95d37db9aa463104f3d80eb5ec67f2317d2c930", "binary/australian",
        ),),
        source="LIBSVM data page, australian", licence="none stated (UCI)",
    ),
    Dataset(
        name="breast-cancer", title="breast cancer of Wisconsin, unscaled",
        n=683, d=10, nnz=6_830,
        train=(_piece(
            "libsvm-small/breast-cancer.xz", 5_964,
            "005a74a00aed28c0ec383e7513a9c12fc2cea7d0e160d336bc11ebff34f02641", "binary/breast-cancer",
        ),),
        source="LIBSVM data page, breast-cancer", licence="none stated (UCI)",
    ),
    Dataset(
        name="german.numer_scale", title="German credit, scaled to [-1, 1]",
        n=1_000, d=24, nnz=23_001,
        train=(_piece(
            "libsvm-small/german.numer_scale.xz", 12_300,
            "4891ddd7665f6ed11ca8f28a7a0bcaaf94b879f8a38dfde3f896d261e285bda6", "binary/german.numer_scale",
        ),),
        source="LIBSVM data page, german.numer_scale", licence="none stated (UCI)",
    ),
    Dataset(
        name="splice", title="splice junctions of primate genes",
        n=3_175, d=60, nnz=190_500,
        train=(_piece(
            "libsvm-small/splice.xz", 91_896,
            "218fc59e79bed5506837a922df8ea2844652f62828f2c0c6b1c6ee7e00fe4eb8",
        ),),
        source="LIBSVM data page, splice and splice.t in one file", licence="none stated (UCI)",
    ),
    Dataset(
        name="svmguide1", title="astroparticles",
        n=3_089, d=4, nnz=12_356,
        train=(_piece(
            "libsvm-small/svmguide1.xz", 45_764,
            "3ba6218f591c91c80faa8c46bd93d6f3cf8c2ed4d4d2399eb72ec2729c7bea03", "binary/svmguide1",
        ),),
        source="LIBSVM data page, svmguide1", licence="none stated",
    ),
    Dataset(
        name="svmlight_example1.train", title="Reuters articles on acquisitions, training rows",
        n=2_000, d=9_947, nnz=94_790,
        train=(_piece(
            "libsvm-small/svmlight_example1.train.xz", 826_808,
            "1a90e9e7faf0c0d9a32611cb5629c1a52060b2820daf846cefceef3ee783afbe",
        ),), test=(_EXAMPLE1_TEST,),
        source="CoCoA's tests; by its sizes example 1 of SVMlight", licence="Apache-2.0",
    ),
    Dataset(
        name="svmlight_example1.test", title="Reuters articles on acquisitions, test rows",
        n=600, d=9_930, nnz=23_730,
        train=(_EXAMPLE1_TEST,),
        source="CoCoA's tests; by its sizes example 1 of SVMlight", licence="Apache-2.0",
    ),
    Dataset(
        name="w1a", title="web pages of a category, the smallest of eight training sets",
        n=2_477, d=300, nnz=28_410,
        train=(_piece(
            "libsvm-small/w1a.xz", 23_940,
            "a6987adbc377f500f8024538923c5934309f0c1ad0a98439570e22f85c133693", "binary/w1a",
        ),),
        source="LIBSVM data page, w1a", licence="none stated",
    ),
    Dataset(
        name="diabetes", title="diabetes among Pima women, unscaled",
        n=768, d=8, nnz=5_381,
        train=(_piece(
            "small/diabetes.svm.xz", 8_244,
            "52b3ac12c4c6b60b4976bd91b649d0305dc990eb78e4b5347fc3f1693cd489d6",
        ),),
        source="the R package mlbench, from UCI", licence="none stated",
    ),
    Dataset(
        name="dna", title="splice junctions, three classes",
        n=3_186, d=180, nnz=144_902,
        train=(_piece(
            "small/dna.svm.xz", 77_900,
            "6a52d17d53f1d6dd5c8a31a5f00fa7930832b8a3829dd6eb59f038c561d8293b",
        ),),
        source="the R package mlbench, from UCI", licence="none stated",
    ),
    Dataset(
        name="ionosphere", title="radar returns from the ionosphere",
        n=351, d=34, nnz=10_513,
        train=(_piece(
            "small/ionosphere.svm.xz", 30_148,
            "8065ad0fa0be29935bf8483725ba7372f6f7074268618e157716986bfda7682b",
        ),),
        source="the R package mlbench, from UCI", licence="none stated",
    ),
    Dataset(
        name="letter", title="letters, 26 classes",
        n=20_000, d=16, nnz=311_613,
        train=(_piece(
            "small/letter.svm.xz", 157_844,
            "96f00df67ee0e7d2fe2f4f6c53c83513d6291f84ecbcc072c65018dffd9932cd",
        ),),
        source="the R package mlbench, from UCI", licence="none stated",
    ),
    Dataset(
        name="sonar", title="sonar returns of mines and rocks",
        n=208, d=60, nnz=12_471,
        train=(_piece(
            "small/sonar.svm.xz", 28_728,
            "ca72c70f74f1d43b21dcbf86d1b1c196c1f64bc5f45288c6477f119549306c2c",
        ),),
        source="the R package mlbench, from UCI", licence="none stated",
    ),
    Dataset(
        name="vehicle", title="silhouettes of four vehicles",
        n=846, d=18, nnz=15_121,
        train=(_piece(
            "small/vehicle.svm.xz", 15_896,
            "418cee735bcc258f6c79048e8759d00df4ea6fea18886cdd6019433022435cde",
        ),),
        source="the R package mlbench, from UCI", licence="none stated",
    ),
    Dataset(
        name="spambase", title="spam among e-mails",
        n=4_601, d=57, nnz=59_231,
        train=(_piece(
            "small/spambase.svm.xz", 98_780,
            "46e1492de588c7cabc46ff03d2fb2305ecf7121e99fbe41d364c0fcb916fb00d",
        ),),
        source="the R package kernlab, from UCI", licence="none stated",
    ),
    Dataset(
        name="abalone", title="age of abalones; sex is coded 1, 2, 3",
        n=4_177, d=8, nnz=33_414,
        train=(_piece(
            "regression/abalone.svm.xz", 48_784,
            "9a449b88f38e360dcd1a7737badc7ca2077223997ce5da02224dfe1d6bee9bf2",
        ),),
        source="a public collection of ARFF files, from UCI", licence="none stated", note=_REGRESSION,
    ),
    Dataset(
        name="cadata", title="house prices in California",
        n=20_640, d=8, nnz=165_120,
        train=(_piece(
            "regression/cadata-cal_housing.svm.xz", 320_224,
            "29e34fcbb1f8a8248f5dd0079980c79215f4286ece8abab52b64878f4c912c57",
        ),),
        source="a public collection of ARFF files", licence="none stated", note=_REGRESSION,
    ),
    Dataset(
        name="cpusmall", title="activity of a computer",
        n=8_192, d=12, nnz=94_903,
        train=(_piece(
            "regression/cpusmall.svm.xz", 190_748,
            "eeb4e19b80f74b14f4b83779c39ea89a64d611ca54b81ce1203989723f1350d8",
        ),),
        source="a public collection of ARFF files", licence="none stated", note=_REGRESSION,
    ),
    Dataset(
        name="kin8nm", title="kinematics of a robot arm",
        n=8_192, d=8, nnz=65_536,
        train=(_piece(
            "regression/kin8nm.svm.xz", 347_576,
            "fc8e8038a4b46ccac4dd78624e9aee913f1339c93f4954df5283e6902343afe6",
        ),),
        source="a public collection of ARFF files", licence="none stated", note=_REGRESSION,
    ),
)  # fmt: skip
