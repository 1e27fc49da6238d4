package org.restheart.testkit.conformance;

import java.util.Optional;

/// The gateway under test; implemented by the module that can start one.
public interface RunningGateway {

    /// Where it listens for plain HTTP, on 127.0.0.1.
    int port();

    /// The password of a user that a case names in `as:`; empty when the gateway has no such user.
    Optional<String> password(String user);
}
