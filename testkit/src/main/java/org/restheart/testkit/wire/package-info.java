/// A small HTTP/1.1 client that sends what it is given, byte for byte ([WireClient]): odd paths, unknown methods and
/// malformed headers are sent unchanged, which other clients refuse to do.
///
/// Must not know: the conformance cases, MongoDB.
@NullMarked
package org.restheart.testkit.wire;

import org.jspecify.annotations.NullMarked;
