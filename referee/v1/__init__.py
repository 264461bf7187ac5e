"""Generated from proto/ by .ci/generate; never edited by hand."""
