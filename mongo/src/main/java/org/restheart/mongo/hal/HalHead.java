package org.restheart.mongo.hal;

import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.bson.BsonString;
import org.restheart.bson.BsonTexts;
import org.restheart.mongo.exchange.DataRequest;
import org.restheart.mongo.parameter.ParameterWarnings;
import org.restheart.mongo.parameter.Parameters;

/// The top-level members of a list besides its links and children: stored properties, type and size. Confined to one
/// request.
final class HalHead {
    private static final Set<String> DEFINITIONS = Set.of("aggrs", "streams", "jsonSchema");

    private final BsonDocument members = new BsonDocument();
    private final Parameters parameters;
    private final boolean showsDefinitions;

    HalHead(DataRequest request) {
        this.parameters = request.parameters();
        request.http()
                .attribute(ParameterWarnings.KEY)
                .ifPresent(warnings -> members.append("_warnings", BsonTexts.array(warnings)));
        var grant = request.grant();
        this.showsDefinitions = grant.allowManagementRequests() || grant.showsAll();
    }

    /// The properties stored with a resource, unless the client excludes them. A caller with hidden fields sees no
    /// definitions, since their text may name hidden fields; `_meta` refuses them as well.
    HalHead properties(String id, Optional<BsonDocument> stored) {
        if (!parameters.format().noProperties()) {
            members.append("_id", new BsonString(id));
            stored.ifPresent(properties -> properties.forEach((name, value) -> {
                if (!name.equals("_id") && (showsDefinitions || !DEFINITIONS.contains(name))) {
                    members.append(name, value);
                }
            }));
        }
        return this;
    }

    /// The kind of resource, in the full form only.
    HalHead type(String type) {
        if (parameters.format().halFull()) {
            members.append("_type", new BsonString(type));
        }
        return this;
    }

    /// The number of elements on all pages, if known.
    HalHead size(OptionalLong size) {
        if (size.isPresent()) {
            members.append("_size", new BsonInt64(size.getAsLong()));
            int pageSize = parameters.find().paging().pageSize();
            if (pageSize > 0) {
                members.append("_total_pages", new BsonInt64(pages(size.getAsLong(), pageSize)));
            }
        }
        return this;
    }

    static long pages(long size, int pageSize) {
        return Math.ceilDiv(size, pageSize);
    }

    BsonDocument members() {
        return members;
    }
}
