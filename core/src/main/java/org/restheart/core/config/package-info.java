/// From files, environment and command line to typed records: [Configuration] is the merged tree, [GatewayConfig]
/// what it means. A [Block] reads values by name, with their bounds, and refuses what is wrong by key, bound and
/// value.
///
/// Must not know: HTTP, MongoDB's client, or anything that runs.
@NullMarked
package org.restheart.core.config;

import org.jspecify.annotations.NullMarked;
