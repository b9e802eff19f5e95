@_spi(StoreAuthors) import KeyspanCore

struct AppKeys: KeyGroup {
    let launchCount = Key<Int>("launchCount", default: 0)
    let nickname = Key<String?>("nickname")
    let account = ThrowingKey<User?>.jsonCoded("account")
    let window = WindowKeys()
    let server = Prefixed<ServerKeys>("server.")

    var visits: Key<Int> { Key<Int>("visits", default: 7) }
}

struct WindowKeys: KeyGroup {
    let width = Key<Int>("width", default: 800)
        .validated(by: .range(100...4000))
    let title = Key<String>("title", default: "untitled")
    let colors = Prefixed<ColorKeys>("color.")
}

struct ColorKeys: KeyGroup {
    let border = Key<String>("border", default: "black")
}

struct ServerKeys: KeyGroup {
    let port = Key<UInt16>("port", default: 8080)
    let frame = Key<Window>("frame", default: Window(width: 10, height: 10))
    let password = Key<String?>("password").throwing()
    let tls = Prefixed<TLSKeys>("tls.")
    let limits = LimitKeys()

    var requests: Key<Int> { Key<Int>("requests", default: 3) }
}

struct TLSKeys: KeyGroup {
    let certificate = Key<String?>("certificate")
}

struct LimitKeys: KeyGroup {
    let names = Key<[String]>("names", default: [])
}
