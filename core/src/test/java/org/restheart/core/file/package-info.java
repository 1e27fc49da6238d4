/// Files in buckets, over HTTP.
@NullMarked
package org.restheart.core.file;

import org.jspecify.annotations.NullMarked;
