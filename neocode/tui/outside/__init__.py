"""What lies around the screen: the clipboard, notices to the desktop, settings at start."""
