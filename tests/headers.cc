// SPDX-License-Identifier: Apache-2.0
// Nothing: a target that only compiles headers for the test programs needs one source.
