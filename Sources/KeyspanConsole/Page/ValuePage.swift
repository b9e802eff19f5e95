#if Console
@_spi(StoreAuthors) import KeyspanCore

/// The whole value of a key, for a value of which the table shows a part.
struct ValuePage {
    /// The document.
    let html: HTMLText

    /// Makes the page of a setting.
    init(of setting: Setting, in view: SettingsView) {
        let text = setting.readable.map { ValueText($0).text }
        let value: HTMLText = text.map { "<pre class=\"value\">\n\($0)</pre>" } ?? "<p>The value is not shown.</p>"
        html = #"""
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <title>\#(setting.key.name) · \#(view.options.title)</title>
            <link rel="stylesheet" href="console.css?\#(ConsoleAssets.version)">
            </head>
            <body>
            <header><h1><code>\#(setting.key.name)</code></h1><p><a href="./">All settings</a></p></header>
            <main>\#(value)</main>
            </body>
            </html>

            """#
    }
}
#endif
