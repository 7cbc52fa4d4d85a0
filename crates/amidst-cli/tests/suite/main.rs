//! The command line from outside: files in, files, messages and exit codes out.

mod algorithms;
mod bad_input;
mod campaign;
mod contract;
mod docs;
mod evening;
mod help;
mod holes;
mod init;
mod interruption;
mod links;
mod support;
