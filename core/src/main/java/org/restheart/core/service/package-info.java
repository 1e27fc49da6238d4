/// The services about the server itself: ping, health, metrics.
///
/// Must not know: the HTTP server, how they are bound.
@NullMarked
package org.restheart.core.service;

import org.jspecify.annotations.NullMarked;
