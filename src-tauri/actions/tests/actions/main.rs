//! Interfaces as others see them: the terminal against the real shell, and one that is added.

mod adding;
mod terminal;
