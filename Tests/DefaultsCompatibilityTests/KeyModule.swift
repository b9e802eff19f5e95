import Keyspan
