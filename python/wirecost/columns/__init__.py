# SPDX-License-Identifier: Apache-2.0
"""Lists in columns for schemas known at run time: conversion of whole messages."""
