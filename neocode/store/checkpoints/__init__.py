"""What files were before our tools changed them: bytes by content, and who changed what."""
