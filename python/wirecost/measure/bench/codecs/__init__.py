# SPDX-License-Identifier: Apache-2.0
"""``bench codecs``: codecs of point clouds beside each other, on the user's scans."""
