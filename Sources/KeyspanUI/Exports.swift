@_exported public import Keyspan
