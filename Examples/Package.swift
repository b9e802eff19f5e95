// swift-tools-version: 6.2

import PackageDescription

let package = Package(
    name: "keyspan-examples",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "swift-keyspan", path: "..")],
    targets: [
        // The keys, written once; an app and a server both import this module.
        .target(name: "AppKeys", dependencies: [.product(name: "Keyspan", package: "swift-keyspan")]),
        .executableTarget(name: "greeter", dependencies: ["AppKeys"]),
        .executableTarget(name: "layers", dependencies: ["AppKeys"]),
    ],
    swiftLanguageModes: [.v6]
)
