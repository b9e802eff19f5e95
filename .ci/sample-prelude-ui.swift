// The context of the samples in documentation comments of KeyspanUI; it precedes the samples of each source file.
import Combine
import KeyspanUI
import SwiftUI

extension Defaults.Keys {
    static let volume = Key<Double>("volume", default: 0.5)
    static let isMuted = Key<Bool>("isMuted", default: false)
}

let defaults = Defaults(InMemoryStore())
