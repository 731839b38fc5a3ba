/* SPDX-License-Identifier: Apache-2.0
 * The release of weft that these headers belong to, for C and C++; the converter writes it into its
 * files as the generator. The file format has a separate version, kFormatVersion. */
#ifndef WEFT_RUNTIME_VERSION_H_
#define WEFT_RUNTIME_VERSION_H_

#define WEFT_VERSION_MAJOR 0
#define WEFT_VERSION_MINOR 2
#define WEFT_VERSION_PATCH 0

#define WEFT_VERSION_TEXT_(number) #number
#define WEFT_VERSION_JOIN_(major, minor, patch) \
  WEFT_VERSION_TEXT_(major) "." WEFT_VERSION_TEXT_(minor) "." WEFT_VERSION_TEXT_(patch)
/* "0.2.0" */
#define WEFT_VERSION WEFT_VERSION_JOIN_(WEFT_VERSION_MAJOR, WEFT_VERSION_MINOR, WEFT_VERSION_PATCH)

#endif /* WEFT_RUNTIME_VERSION_H_ */
