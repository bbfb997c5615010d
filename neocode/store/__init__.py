"""What is kept on disk: sessions, transcripts, search."""
