"""The words of the website in each language. `model/language/` has what the compiler needs for a text's language."""
