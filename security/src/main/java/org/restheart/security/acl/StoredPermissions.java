package org.restheart.security.acl;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.bson.BsonDocument;
import org.restheart.http.Request;
import org.restheart.security.InvalidatedCache;
import org.restheart.security.acl.AclAuthorizer.Permissions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The permissions of a collection, loaded and parsed per role on first use. Thread-safe.
///
/// Within a role the higher priority is tried first; of two equal ones the one with the higher `_id`.
public final class StoredPermissions implements Permissions {
    private static final Logger LOG = LoggerFactory.getLogger(StoredPermissions.class);
    private static final int MAX_REPORTED = 1_000;

    private final Function<String, List<BsonDocument>> ofRole;
    private final InvalidatedCache<String, List<Permission>> kept;
    /// Permissions are read repeatedly; each fault is logged once.
    private final Set<String> reported = ConcurrentHashMap.newKeySet();

    /// @param ofRole the documents of a role, by `_id` descending; may block; throws 503 if it cannot query now
    public StoredPermissions(
            Function<String, List<BsonDocument>> ofRole, InvalidatedCache<String, List<Permission>> kept) {
        this.ofRole = ofRole;
        this.kept = kept;
    }

    @Override
    public List<Permission> of(Request request, String role) {
        var known = kept.get(role);
        if (known.isPresent()) {
            return known.get();
        }
        request.requireThread();
        var loaded = kept.load(role, this::read);
        return loaded == null ? List.of() : loaded;
    }

    private List<Permission> read(String role) {
        var permissions = new ArrayList<Permission>();
        for (var document : ofRole.apply(role)) {
            read(document).ifPresent(permissions::add);
        }
        permissions.sort(
                Comparator.comparingDouble((Permission rule) -> rule.priority().orElse(Double.NEGATIVE_INFINITY))
                        .reversed());
        return List.copyOf(permissions);
    }

    /// Logs what is wrong with a stored permission, before a request needs it.
    public void inspect(BsonDocument document) {
        read(document);
    }

    private Optional<Permission> read(BsonDocument document) {
        try {
            var permission = PermissionReader.ofDocument(document);
            PermissionReader.warnings(document).forEach(warning -> report(document, ": " + warning));
            return Optional.of(permission);
        } catch (PermissionException e) {
            report(document, " is not used: " + e.getMessage());
            return Optional.empty();
        }
    }

    private void report(BsonDocument document, String fault) {
        var line = PermissionReader.placeOf(document) + fault;
        if (reported.size() < MAX_REPORTED && reported.add(line)) {
            LOG.warn("{}", line);
        }
    }
}
