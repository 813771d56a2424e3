"""Finding what a media file says besides its picture and sound, whoever made it. No Django here."""
