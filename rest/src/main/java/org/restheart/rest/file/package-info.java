/// Files in buckets (GridFS): uploads, downloads, metadata.
///
/// The content of a file is in chunks that the driver's `GridFSBucket` could write and read too. It is not used: it
/// makes a file visible before rules have checked it, and when it aborts an upload it removes all chunks with the
/// same id.
///
/// Must not know: how a request was authenticated; the HTTP server.
@NullMarked
package org.restheart.rest.file;

import org.jspecify.annotations.NullMarked;
