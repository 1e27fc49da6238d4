/// GraphQL over HTTP.
@NullMarked
package org.restheart.core.graphql;

import org.jspecify.annotations.NullMarked;
