// SPDX-License-Identifier: Apache-2.0
#include "loan.hpp"

#include <structmember.h>

#include <array>

namespace wirecost::tensor {

namespace {

struct Pool {
  PyObject ob_base;
  Py_ssize_t limit, held;
};

struct Loan {
  PyObject ob_base;
  PyObject* weak;
  PyObject* sample;
  PyObject* release;  // null where nothing is to be called
  Pool* pool;
};

PyTypeObject* loan_type = nullptr;

int pool_init(PyObject* self, PyObject* arguments, PyObject* names) {
  static const char* known[] = {"limit", nullptr};
  auto* const pool = reinterpret_cast<Pool*>(self);
  return PyArg_ParseTupleAndKeywords(arguments, names, "n", const_cast<char**>(known), &pool->limit)
             ? 0
             : -1;
}

PyObject* pool_borrow(PyObject* self, PyObject* const* arguments, Py_ssize_t count,
                      PyObject* names) {
  auto* const pool = reinterpret_cast<Pool*>(self);
  const Py_ssize_t named = names != nullptr ? PyTuple_GET_SIZE(names) : 0;
  const bool known = named == 0 || (named == 1 && PyUnicode_CompareWithASCIIString(
                                                      PyTuple_GET_ITEM(names, 0), "release") == 0);
  if (count < 1 || count + named > 2 || !known) {
    PyErr_SetString(PyExc_TypeError, "borrow(sample, release=None)");
    return nullptr;
  }
  if (pool->held >= pool->limit)
    return user_error(
        "%zd received samples are held by arrays in use, which is the maximum: delete arrays, or "
        "decode with copy=True",
        pool->limit);
  auto* const loan = reinterpret_cast<Loan*>(loan_type->tp_alloc(loan_type, 0));
  if (loan == nullptr) return nullptr;
  loan->sample = Py_NewRef(arguments[0]);
  loan->release = count + named == 2 && arguments[1] != Py_None ? Py_NewRef(arguments[1]) : nullptr;
  loan->pool = reinterpret_cast<Pool*>(Py_NewRef(self));
  ++pool->held;
  return reinterpret_cast<PyObject*>(loan);
}

bool interpreter_ends() {
#if PY_VERSION_HEX >= 0x030D0000
  return Py_IsFinalizing() != 0;
#else
  return _Py_IsFinalizing() != 0;
#endif
}

void loan_finalize(PyObject* self) {
  auto* const loan = reinterpret_cast<Loan*>(self);
  // While the interpreter ends, a middleware may be gone already; its own end frees all.
  if (loan->pool == nullptr || interpreter_ends()) return;
  PyObject *type, *value, *trace;
  PyErr_Fetch(&type, &value, &trace);
  Pool* const pool = std::exchange(loan->pool, nullptr);
  --pool->held;
  Py_DECREF(reinterpret_cast<PyObject*>(pool));
  if (const Ref release(std::exchange(loan->release, nullptr)); release) {
    const Ref result(PyObject_CallOneArg(release.get(), loan->sample));
    if (!result) PyErr_WriteUnraisable(self);
  }
  PyErr_Restore(type, value, trace);
}

// A sample may refer to its own loan: the garbage collector has to see the circle.
int loan_traverse(PyObject* self, visitproc visit, void* arg) {
  auto* const loan = reinterpret_cast<Loan*>(self);
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(loan->sample);
  Py_VISIT(loan->release);
  Py_VISIT(reinterpret_cast<PyObject*>(loan->pool));
  return 0;
}

// After loan_finalize, and where the interpreter ends in place of it.
int loan_clear(PyObject* self) {
  auto* const loan = reinterpret_cast<Loan*>(self);
  Py_CLEAR(loan->sample);
  Py_CLEAR(loan->release);
  const Ref pool(reinterpret_cast<PyObject*>(std::exchange(loan->pool, nullptr)));
  return 0;
}

void loan_dealloc(PyObject* self) {
  if (PyObject_CallFinalizerFromDealloc(self) < 0) return;
  PyObject_GC_UnTrack(self);
  if (reinterpret_cast<Loan*>(self)->weak != nullptr) PyObject_ClearWeakRefs(self);
  loan_clear(self);
  PyTypeObject* const type = Py_TYPE(self);
  type->tp_free(self);
  Py_DECREF(type);
}

PyMemberDef pool_members[] = {
    {"held", T_PYSSIZET, offsetof(Pool, held), READONLY, "Samples that are borrowed now."},
    {nullptr, 0, 0, 0, nullptr},
};

PyMethodDef pool_methods[] = {
    {"borrow", as_function(pool_borrow), METH_FASTCALL | METH_KEYWORDS,
     "Lends a sample; `release(sample)` is called once no array lies on it any more."},
    {nullptr, nullptr, 0, nullptr},
};

std::array pool_slots{
    PyType_Slot{Py_tp_doc, const_cast<char*>("Counts samples whose memory is in use.")},
    PyType_Slot{Py_tp_init, reinterpret_cast<void*>(pool_init)},
    PyType_Slot{Py_tp_methods, pool_methods},
    PyType_Slot{Py_tp_members, pool_members},
    PyType_Slot{0, nullptr},
};
PyType_Spec pool_spec{"wirecost._tensor.SamplePool", sizeof(Pool), 0, Py_TPFLAGS_DEFAULT,
                      pool_slots.data()};

PyMemberDef loan_members[] = {
    {"sample", T_OBJECT, offsetof(Loan, sample), READONLY, nullptr},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(Loan, weak), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr},
};

std::array loan_slots{
    PyType_Slot{Py_tp_doc, const_cast<char*>("A borrowed sample, the `owner` for `decode`.")},
    PyType_Slot{Py_tp_finalize, reinterpret_cast<void*>(loan_finalize)},
    PyType_Slot{Py_tp_traverse, reinterpret_cast<void*>(loan_traverse)},
    PyType_Slot{Py_tp_clear, reinterpret_cast<void*>(loan_clear)},
    PyType_Slot{Py_tp_dealloc, reinterpret_cast<void*>(loan_dealloc)},
    PyType_Slot{Py_tp_members, loan_members},
    PyType_Slot{0, nullptr},
};
PyType_Spec loan_spec{"wirecost._tensor.Loan", sizeof(Loan), 0,
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                      loan_slots.data()};

}  // namespace

bool add_loans(PyObject* module) {
  loan_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&loan_spec));
  if (loan_type == nullptr) return false;
  const Ref pool(PyType_FromSpec(&pool_spec));
  return pool && PyModule_AddObjectRef(module, "SamplePool", pool.get()) == 0 &&
         PyModule_AddObjectRef(module, "Loan", reinterpret_cast<PyObject*>(loan_type)) == 0;
}

}  // namespace wirecost::tensor
