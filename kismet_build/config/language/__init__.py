"""The words of the website in each language. What a language of texts asks of the compiler is in `model/language/`."""
