/// An embedded MongoDB for trials and tests: finds a mongod ([MongodBinary]), runs it as a child process and as a
/// replica set of one member ([EmbeddedMongo]), since transactions and change streams need one.
///
/// The child ends with this process in every case. Must not know: HTTP, the gateway's configuration.
@NullMarked
package org.restheart.embedded;

import org.jspecify.annotations.NullMarked;
