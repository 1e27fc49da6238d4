/// What plugins compile against, with the packages that it refers to: requests, responses and services are
/// those of `org.restheart.http`, access is that of `org.restheart.data`, mechanisms and vetoes are those
/// of `org.restheart.security`. Begin with [org.restheart.plugin.Plugin].
///
/// Must not know: how plugins are found and called.
@NullMarked
package org.restheart.plugin;

import org.jspecify.annotations.NullMarked;
