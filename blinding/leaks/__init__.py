"""Finding what a media file says besides its picture and sound. No Django here."""
