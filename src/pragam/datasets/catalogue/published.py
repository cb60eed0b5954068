"""Larger data sets as they were published: LIBSVM's, newsgroups, digits. "note" says where a set is not what its name
may suggest."""

from __future__ import annotations

from pragam.datasets.formats import odd_digits
from pragam.datasets.preparation import comp_misc_sci, tf_idf_unit_rows, without_empty_rows
from pragam.datasets.record import Dataset, File, Piece

LIBSVM = "https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets/"
_MNIST = "https://storage.googleapis.com/cvdf-datasets/mnist/"

A9A: Piece = (
    File("a9a/a9a.xz", 153_384, "681a6e8501c90f46a11021b8786f64062768c5130764d1ffca386b9c4217735d"),
    File("a9a/a9a", url=LIBSVM + "binary/a9a"),
)
A9A_TEST: Piece = (
    File("a9a/a9a.t.xz", 78_544, "be9350ccafcf466ea8e250982a054b5493a6330a357ac44734aaa47c61c3cb62"),
    File("a9a/a9a.t", url=LIBSVM + "binary/a9a.t"),
)
W8A: Piece = (
    File("w8a/w8a.xz", 356_284, "179a62145e505bfedfa416afcbb0569545cce7e07898e583fe1b1093c301b50b"),
    File("w8a/w8a", url=LIBSVM + "binary/w8a"),
)
W8A_TEST: Piece = (File("w8a/w8a.t", url=LIBSVM + "binary/w8a.t"),)
COVTYPE: Piece = (
    File(
        "covtype/covtype.binary.scale.svm.xz",
        10_490_944,
        "9d17af173366a49e6d94205d532b418a91847a67496542b696f1aeb75c35dbce",
    ),
    File("covtype/covtype.libsvm.binary.scale.bz2", url=LIBSVM + "binary/covtype.libsvm.binary.scale.bz2"),
)
_COVTYPE_CLASSES: Piece = (
    File(
        "covtype/covtype.multiclass.svm.xz",
        6_939_492,
        "d0f5fbe3ac1e0bb53d0ee8292aeea0604ad167502c7f89603afbbd25ac7b9ed0",
    ),
)
_NEWS20: Piece = (
    File(
        "news20-bow/news20.train.svm.xz", 2_131_888, "e9618427fdacec69df70fab46745003e9ce3c0079ba190d21023fd46a26bf5bb"
    ),
)
_NEWS20_TEST: Piece = (
    File(
        "news20-bow/news20.test.svm.xz", 1_450_660, "396ff00fa0c7bf96e424d29b8d15e6cdb50108f630f21558179bae264de24df8"
    ),
)
_BIGRAMS: Piece = (
    File(
        "news20-bigram/news20bydate.bigram.train.svm.xz",
        7_321_252,
        "11365e98e6527cae96ae5e977563e8fd008dd261e462f8bef4985f6bdb757b90",
    ),
)
_BIGRAMS_TEST: Piece = (
    File(
        "news20-bigram/news20bydate.bigram.test.svm.xz",
        4_771_608,
        "f1f649784387369dcf7a8109d80b045b1c7af538519c2c451698e7169f945655",
    ),
)
_RCV1: Piece = (
    File("rcv1-small/rcv1_small.svm.xz", 469_968, "ca0e63ce686bcdfc8ae7f09a7fb72e86284ad43a31a7533b2f1dbfe5d9a138f9"),
)


def _digits(name: str, ours: tuple[int, str], published: tuple[int, str]) -> Piece:
    """A file of MNIST, repacked or as published: the checksums differ, the content does not."""
    return (File(f"mnist/{name}", *ours), File(f"mnist/published/{name}", *published, url=_MNIST + name))


_IMAGES = _digits(
    "train-images-idx3-ubyte.gz",
    (9_822_052, "acdea1692cb9442cff7b4af2052ee1e2ed74707aa8b1286c4d7fcec892a0490c"),
    (9_912_422, "440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609"),
)
_LABELS = _digits(
    "train-labels-idx1-ubyte.gz",
    (28_902, "23066f241d19cc0b363869be69425c8d25c7466b93df54bfdcc27e2d0de41ae2"),
    (28_881, "3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c"),
)
_TEST_IMAGES = _digits(
    "t10k-images-idx3-ubyte.gz",
    (1_634_335, "b8107399a008fa65eda375dfd2c9946f8390f595033bca966e9c97ca1e9b754e"),
    (1_648_877, "8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6"),
)
_TEST_LABELS = _digits(
    "t10k-labels-idx1-ubyte.gz",
    (4_542, "0f13702e760cb8d516c6f169176d2f26fe45afc6201be8860930756a7f8e6fef"),
    (4_542, "f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6"),
)

SETS = (
    Dataset(
        name="a9a",
        title="census income above 50,000 dollars, one-hot attributes",
        n=32_561, d=123, nnz=451_592, n_features=123,
        train=(A9A,), test=(A9A_TEST,),
        source="LIBSVM data page, a9a and a9a.t, from UCI Adult",
        licence="none stated (UCI Adult)",
        lam=2.0**-18,
    ),
    Dataset(
        name="w8a",
        title="web pages of a category, 300 keywords",
        n=45_546, d=300, nnz=579_586, n_features=300,
        train=(W8A,), test=(W8A_TEST,), steps=(without_empty_rows,),
        source="LIBSVM data page, w8a and w8a.t, from J. Platt",
        licence="none stated",
        lam=2.0**-17,
        note="49,749 rows with the empty ones (keep_empty=True).",
    ),
    Dataset(
        name="covtype",
        title="forest cover, type 2 against the rest, scaled to [0, 1]",
        n=581_012, d=54, nnz=6_940_438, n_features=54,
        train=(COVTYPE,),
        source="UCI Covertype (J. Blackard, Colorado State University), as covtype.libsvm.binary.scale of LIBSVM",
        licence="reuse with credit",
        lam=2.0**-17,
    ),
    Dataset(
        name="covtype.multiclass",
        title="forest cover, seven types, unscaled",
        n=581_012, d=54, nnz=6_901_775, n_features=54,
        train=(_COVTYPE_CLASSES,),
        source="UCI Covertype (J. Blackard, Colorado State University), from the package scikit-multiflow 0.4.1",
        licence="reuse with credit",
    ),
    Dataset(
        name="news20-bow",
        title="newsgroup articles, words; comp, misc and sci against the rest",
        n=18_774, d=61_188, nnz=2_435_219, n_features=61_188,
        train=(_NEWS20,), test=(_NEWS20_TEST,), joined=True, steps=(tf_idf_unit_rows, comp_misc_sci),
        source="20 Newsgroups by date (J. Rennie), from the R package lda",
        licence="none stated",
        lam=2.0**-14,
        note="Not LIBSVM's news20. load_named joins the training and the test rows; load_split does not.",
    ),
    Dataset(
        name="news20-bigram",
        title="newsgroup articles, words and word pairs; comp, misc and sci against the rest",
        n=11_314, d=1_403_214, nnz=4_118_481, n_features=1_403_214,
        train=(_BIGRAMS,), test=(_BIGRAMS_TEST,), steps=(tf_idf_unit_rows,),
        source="20 Newsgroups by date (J. Rennie), counts of words and pairs of ours",
        licence="none stated",
        lam=2.0**-14,
        note="Of the kind of LIBSVM's news20.binary, but not that set.",
    ),
    Dataset(
        name="rcv1-small",
        title="a thousand Reuters newswire stories",
        n=1_000, d=47_117, nnz=77_739,
        train=(_RCV1,),
        source="Vowpal Wabbit's tests, rcv1_small.dat",
        licence="BSD; for research",
    ),
    Dataset(
        name="mnist-odd-even",
        title="handwritten digits, odd against even, pixels in [0, 1]",
        n=60_000, d=784, nnz=8_994_156,
        train=(_IMAGES, _LABELS), test=(_TEST_IMAGES, _TEST_LABELS), reader=odd_digits,
        source="Y. LeCun, C. Cortes and C. Burges; address of a public copy, with the checksums that are widely "
        "published, not downloaded by us",
        licence="none stated",
    ),
)  # fmt: skip
