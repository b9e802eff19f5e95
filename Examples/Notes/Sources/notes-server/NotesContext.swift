import Hummingbird
import NIOCore

/// The context of a request: that of Hummingbird, and the address of the client.
struct NotesContext: RequestContext, RemoteAddressRequestContext {
    var coreContext: CoreRequestContextStorage
    /// The other side of the connection: behind a proxy, the proxy.
    let remoteAddress: SocketAddress?

    init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        remoteAddress = source.channel.remoteAddress
    }
}
