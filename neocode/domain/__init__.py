"""The vocabulary: frozen values, no input or output, standard library only."""
