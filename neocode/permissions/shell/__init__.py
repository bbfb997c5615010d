"""A shell line as its simple commands: parsed, with what is known of words and folders."""
