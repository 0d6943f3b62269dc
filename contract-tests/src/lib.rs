//! Where the SDK and the mock meet.
