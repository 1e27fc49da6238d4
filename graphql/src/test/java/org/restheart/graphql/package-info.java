@NullMarked
package org.restheart.graphql;

import org.jspecify.annotations.NullMarked;
