"""The paper's nine data sets, under its names, with its sizes and its lambdas.

Its table prints the number of stored entries as the number of features for six of them; here both are right. It does
not say which rows it trained on where it took a part of a set. Such rows are drawn by a seed of ours, so the number of
entries differs a little from the paper's.
"""

from __future__ import annotations

from pragam.datasets.catalogue.published import A9A, A9A_TEST, COVTYPE, LIBSVM, W8A, W8A_TEST
from pragam.datasets.formats import reuters_topic
from pragam.datasets.preparation import without_empty_rows
from pragam.datasets.record import Dataset, Drawn, File, InPaper, Piece

_FIGSHARE = "https://ndownloader.figshare.com/files/"
_TRAIN: Piece = (
    File(
        "rcv1/lyrl2004_vectors_train.dat.gz",
        sha256="5468f656d0ba7a83afc7ad44841cf9a53048a5c083eedc005dcdb5cc768924ae",
        url=_FIGSHARE + "5976057",
    ),
)
_TEST: Piece = (
    File(
        "rcv1/lyrl2004_vectors_test_pt0.dat.gz",
        sha256="ed40f7e418d10484091b059703eeb95ae3199fe042891dcec4be6696b9968374",
        url=_FIGSHARE + "5976069",
    ),
)
_TOPICS: Piece = (
    File(
        "rcv1/rcv1v2.topics.qrels.gz",
        sha256="2a98e5e5d8b770bded93afc8930d88299474317fe14181aee1466cc754d0d1c1",
        url=_FIGSHARE + "5976048",
    ),
)


def _reuters(topic: str) -> Dataset:
    paper = InPaper(2.0**-19, 23_149, 47_236, 1_757_801)
    return Dataset(
        name=f"reuters-{topic.lower()}",
        title=f"Reuters newswire stories, topic {topic} against the rest",
        n=23_149, d=47_236, nnz=1_757_801, n_features=47_236,
        train=(_TRAIN, _TOPICS), test=(_TEST, _TOPICS), reader=reuters_topic(topic),
        source="RCV1-v2 of Lewis, Yang, Rose and Li (2004), the training rows of their split; addresses and checksums "
        "as in scikit-learn's fetch_rcv1, not downloaded by us",
        licence="for research",
        lam=paper.lam, paper=paper,
        note="The test rows are the first of the four files of test documents, 199,328 rows.",
    )  # fmt: skip


SETS = (
    Dataset(
        name="adult9",
        title="census income above 50,000 dollars, the paper's adult9",
        n=32_561, d=123, nnz=451_592, n_features=123,
        train=(A9A,), test=(A9A_TEST,),
        source="the same files as a9a",
        licence="none stated (UCI Adult)",
        lam=2.0**-18, paper=InPaper(2.0**-18, 32_561, 123, 451_592),
    ),
    Dataset(
        name="astro-ph",
        title="abstracts of physics papers, astrophysics against the rest",
        n=62_369, d=99_757, nnz=4_803_000, n_features=99_757, exact=False,
        train=((File("astro-ph/astro-ph.train.svm"),),), test=((File("astro-ph/astro-ph.test.svm"),),),
        source="T. Joachims, used by Hsieh et al. (2008); no address that we could verify",
        licence="not known",
        lam=2.0**-17, paper=InPaper(2.0**-17, 62_369, 99_757, 4_803_000),
        note="The number of entries is n d times the density that the paper prints, 0.077 %.",
    ),
    Dataset(
        name="aut-avn",
        title="newsgroup articles, cars against aviation",
        n=56_862, d=20_707, nnz=2_940_000, n_features=20_707, exact=False,
        train=((File("aut-avn/aut-avn.train.svm"),),), test=((File("aut-avn/aut-avn.test.svm"),),),
        source="A. McCallum's SRAA collection of articles (sraa.tar.gz); how the paper made 20,707 features of them is "
        "not known, so there is no loader of the articles, only of svmlight files",
        licence="not known",
        lam=2.0**-17, paper=InPaper(2.0**-17, 56_862, 20_707, 2_940_000),
        note="The number of entries is n d times the density that the paper prints, 0.25 %.",
    ),
    Dataset(
        name="covertype",
        title="forest cover, type 2 against the rest, nine tenths of the rows",
        n=522_911, d=54, nnz=6_246_290, n_features=54,
        train=(COVTYPE,), test=Drawn(522_911, seed=0),
        source="the same file as covtype",
        licence="reuse with credit",
        lam=2.0**-17, paper=InPaper(2.0**-17, 522_911, 54, 6_274_932),
        note="The paper stores 12 entries in every row, zeros included. Ours stores no zeros, and its numbers are "
        "scaled to [0, 1].",
    ),
    Dataset(
        name="news20",
        title="newsgroup articles in two groups, words and word pairs",
        n=15_960, d=1_355_191, nnz=7_264_867, n_features=1_355_191, exact=False,
        train=((File("news20/news20.binary.bz2", url=LIBSVM + "binary/news20.binary.bz2"),),),
        test=Drawn(15_960, seed=0),
        source="LIBSVM data page, news20.binary (19,996 rows)",
        licence="none stated",
        lam=2.0**-14, paper=InPaper(2.0**-14, 15_960, 1_355_191, 7_264_867),
    ),
    Dataset(
        name="real-sim",
        title="newsgroup articles, real against simulated cars and aircraft",
        n=57_763, d=20_958, nnz=2_969_737, n_features=20_958, exact=False,
        train=((File("real-sim/real-sim.bz2", url=LIBSVM + "binary/real-sim.bz2"),),),
        test=Drawn(57_763, seed=0),
        source="LIBSVM data page, real-sim (72,309 rows), from A. McCallum's SRAA collection",
        licence="none stated",
        lam=2.0**-16, paper=InPaper(2.0**-16, 57_763, 20_958, 2_969_737),
    ),
    _reuters("C11"),
    _reuters("CCAT"),
    Dataset(
        name="web8",
        title="web pages of a category, the paper's web8",
        n=45_546, d=300, nnz=579_586, n_features=300,
        train=(W8A,), test=(W8A_TEST,), steps=(without_empty_rows,),
        source="the same files as w8a",
        licence="none stated",
        lam=2.0**-17, paper=InPaper(2.0**-17, 45_546, 300, 579_586),
        note="w8a without its 4,203 empty rows, which gives exactly the paper's n and number of entries.",
    ),
)  # fmt: skip
