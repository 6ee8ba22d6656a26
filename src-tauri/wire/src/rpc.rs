//! Requests and answers between a window (or another client) and the backend.
