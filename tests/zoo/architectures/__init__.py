# SPDX-License-Identifier: Apache-2.0
"""Small versions of published architectures, one subject per module."""
