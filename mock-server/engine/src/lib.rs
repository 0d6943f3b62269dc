//! State machines and capacity logic of the mock, pure and synchronous.
