"""The parser of svmlight files."""
