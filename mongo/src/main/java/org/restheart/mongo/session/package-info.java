/// Sessions and transactions that clients name in requests, usable through any gateway: MongoDB keeps their state, and
/// nothing of them is remembered here. [Sessions] is the entry point.
///
/// Must not know: what is read or written in them.
@NullMarked
package org.restheart.mongo.session;

import org.jspecify.annotations.NullMarked;
