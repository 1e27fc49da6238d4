/// Sessions and transactions that clients name in requests, usable through any gateway: their state is kept in
/// MongoDB only. [Sessions] is the entry point.
///
/// Must not know: the reads and writes in them.
@NullMarked
package org.restheart.rest.session;

import org.jspecify.annotations.NullMarked;
