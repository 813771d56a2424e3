"""The pages of visitors (public) and of staff and admins (staff)."""
