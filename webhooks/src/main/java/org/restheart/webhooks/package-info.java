/// A plugin that tells other servers of changes of documents: at least once, signed, in the order of each document's
/// changes. It uses what every plugin may use, and nothing else.
///
/// Entry point: `Webhooks`. Must not know: the gateway's modules but what plugins compile against.
@NullMarked
package org.restheart.webhooks;

import org.jspecify.annotations.NullMarked;
