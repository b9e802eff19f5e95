internal import KeyspanCore

extension Defaults {
    /// Makes content whose code uses another standard store, also the code that runs later: the preview of a view.
    ///
    /// ```swift
    /// extension Defaults.Keys {
    ///     static let theme = Key<String>("theme", default: "light")
    /// }
    ///
    /// struct Page {
    ///     @Default(.theme) var theme
    ///     var text: String { "a page in \(theme)" }
    /// }
    ///
    /// let page = Defaults.preview(on: InMemoryStore(["theme": "dark"])) { Page() }
    /// print(page.text)  // a page in dark
    /// ```
    ///
    /// The body of a view runs when the closure that made the view has returned, so `withStandardStore(_:operation:)` does not
    /// reach it. This does, and all other code: from now on the static members of `Defaults`, properties with `@Default`
    /// that name no store, and groups that are made without a store use the given store **in the whole process**, on every
    /// thread, except in operations with a store of their own. The last call counts. If one process shows two previews at once,
    /// both read the store of the one that was made last. The store of the process itself stays as it
    /// is, and can still be chosen with ``bootstrap(_:)``.
    ///
    /// Meant for previews, and for programs that show their own with values made up, such as screenshots; a test uses
    /// `withStandardStore(_:operation:)`, which tests beside it do not notice. Safe to use from any thread.
    ///
    /// - Parameters:
    ///   - store: The store. One that has a place for registered defaults is `LayeredStore(registeringBelow:)`.
    ///   - content: Makes the content.
    /// - Returns: The content.
    public static func preview<Content>(
        on store: any PropertyListStore,
        content: () throws -> Content
    ) rethrows -> Content {
        StandardStore.show(StandardScope(store))
        return try content()
    }
}
