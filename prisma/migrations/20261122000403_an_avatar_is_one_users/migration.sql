-- Finds which files of the avatars' folder are named by a user.
CREATE UNIQUE INDEX users_avatar_key ON users (avatar);
