"""Text files as bytes that must survive: codecs, line ends, stamps, careful writing."""
