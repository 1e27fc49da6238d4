package org.restheart.security.realm;

/// The collection of accounts and the meaning of its properties.
///
/// @param nameProperty compared with the name in the credentials; may be a dotted path
/// @param passwordProperty a property of the document itself
/// @param hashed whether passwords are stored as bcrypt hashes, and hashed when they are written
public record UsersCollection(
        String database,
        String collection,
        String nameProperty,
        String passwordProperty,
        RolesPath roles,
        boolean hashed) {

    /// @throws IllegalArgumentException naming the invalid property
    public UsersCollection {
        if (nameProperty.isEmpty() || nameProperty.startsWith("$")) {
            throw new IllegalArgumentException("prop-id must be the name of a property");
        }
        if (passwordProperty.isEmpty() || passwordProperty.contains(".") || passwordProperty.startsWith("$")) {
            throw new IllegalArgumentException("prop-password must be the name of a property, without dots");
        }
    }

    /// Names are compared without regard to case, as on a case-insensitive file system.
    public boolean is(String otherDatabase, String otherCollection) {
        return database.equalsIgnoreCase(otherDatabase) && collection.equalsIgnoreCase(otherCollection);
    }
}
