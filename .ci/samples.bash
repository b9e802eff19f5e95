# To be sourced: the Swift samples of the documentation, for the scripts that check them.
apple_documents() { :; }
