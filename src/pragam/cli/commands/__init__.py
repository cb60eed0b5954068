"""One file a command, or two: its arguments, and ``run``. Commands know no task (:mod:`pragam.cli.tasks`)."""
