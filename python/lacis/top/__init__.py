"""The screens of `lacis top`: a fabric's ports on a terminal, as they are now or were then."""
