@NullMarked
package org.restheart.openapi;

import org.jspecify.annotations.NullMarked;
