"""What stands in files: sources of bytes, readers of data, containers of tensors, and files that appear whole."""
